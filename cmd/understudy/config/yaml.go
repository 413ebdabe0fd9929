package config

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parseYAML runs the library's parser on tokens that were checked. The parser is
// not ours and reads foreign bytes: should it panic, that is a syntax error too.
func parseYAML(name, text string) (file *ast.File, fault *Error) {
	defer func() {
		if r := recover(); r != nil {
			file, fault = nil, wholeFile(name, "this is no YAML that can be read", "write it in the form of the file that understudy init writes")
		}
	}()
	tokens := lexer.Tokenize(text)
	if fault := checkTokens(name, tokens); fault != nil {
		return nil, fault
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(name, err)
	}
	return file, nil
}

// checkTokens refuses what could make the parser work hard, and the parts of YAML
// that a configuration does not need.
func checkTokens(name string, tokens token.Tokens) *Error {
	if len(tokens) > maxTokens {
		return wholeFile(name, "the file has too many entries to be a configuration", fmt.Sprintf("at most %d words and signs", maxTokens))
	}
	depth, line, onLine := 0, 0, 0
	for _, t := range tokens {
		pos := Position{File: name, Line: t.Position.Line, Col: t.Position.Column}
		if pos.Line != line {
			line, onLine = pos.Line, 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return &Error{Position: pos, Problem: "anchors, aliases and merge keys are not read", Want: "write the value out; put a text that begins with & or * in quotes"}
		case token.TagType, token.DirectiveType:
			return &Error{Position: pos, Problem: "tags and directives are not read", Want: "plain values; put a text that begins with ! or % in quotes"}
		case token.MappingKeyType:
			return &Error{Position: pos, Problem: "a key written with ? is not read", Want: "key: value"}
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType:
			onLine++
		}
		if depth > maxDepth || onLine > maxDepth {
			return tooDeep(pos)
		}
	}
	return nil
}

func tooDeep(pos Position) *Error {
	return &Error{Position: pos, Problem: "nested too deeply", Want: fmt.Sprintf("at most %d levels", maxDepth)}
}

// syntaxError keeps place and message of the parser's error, not the source lines
// that it would print: those may show what should not be shown.
func syntaxError(name string, err error) *Error {
	e := wholeFile(name, "this is no YAML that can be read", "check indentation, colons, brackets and quotes here")
	var placed interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if errors.As(err, &placed) {
		e.Problem = "not valid YAML: " + placed.GetMessage()
		if t := placed.GetToken(); t != nil && t.Position != nil {
			e.Line, e.Col = t.Position.Line, t.Position.Column
		}
	}
	return e
}
