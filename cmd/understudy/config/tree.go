package config

import (
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// A configuration has some hundred tokens on a handful of levels. The parser needs
// quadratic time for wide files and a stack frame per level: these bounds, a
// judgement of ours, keep a hostile file below a second.
const (
	maxBytes  = 128 << 10
	maxTokens = 10_000
	maxDepth  = 20
)

type kind uint8

const (
	isNull kind = iota
	isText
	isInt
	isFloat // also NaN and infinities; the text tells
	isBool
	isMap
	isList
)

// node is a YAML value without anchors, aliases, tags and comments.
type node struct {
	kind  kind
	text  string // scalars: as written, without quotes
	pos   Position
	pairs []pair
	items []*node
}

// pair is an entry of a mapping, in the order of the file; a key may come twice.
type pair struct {
	key   string
	pos   Position
	value *node
}

// parseTree reads one YAML document. An empty document gives a null node.
func parseTree(name string, data []byte) (*node, *Error) {
	text, fault := cleanText(name, data)
	if fault != nil {
		return nil, fault
	}
	if strings.TrimSpace(text) == "" {
		return nil, wholeFile(name, "the file is empty", "write at least models, tap.upstream and judge (understudy init writes a first one)")
	}
	file, fault := parseYAML(name, text)
	if fault != nil {
		return nil, fault
	}
	t := builder{file: name}
	var root *node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			return nil, &Error{Position: t.at(doc.Body), Problem: "a second document", Want: "one document per file"}
		}
		root = t.build(doc.Body, 0)
	}
	if t.fault != nil {
		return nil, t.fault
	}
	if root == nil || root.kind == isNull {
		return nil, wholeFile(name, "the file says nothing", "write at least models, tap.upstream and judge (understudy init writes a first one)")
	}
	return root, nil
}

func wholeFile(name, problem, want string) *Error {
	return &Error{Position: Position{File: name, Line: 1, Col: 1}, Problem: problem, Want: want}
}

// builder turns the library's nodes into ours; it keeps the first fault.
type builder struct {
	file  string
	fault *Error
}

func (b *builder) at(n ast.Node) Position {
	t := n.GetToken()
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		t = m.Values[0].Key.GetToken()
	}
	if m, ok := n.(*ast.MappingValueNode); ok {
		t = m.Key.GetToken()
	}
	if t == nil || t.Position == nil {
		return Position{File: b.file, Line: 1, Col: 1}
	}
	return Position{File: b.file, Line: t.Position.Line, Col: t.Position.Column}
}

func (b *builder) build(n ast.Node, depth int) *node {
	if n == nil {
		return &node{kind: isNull, pos: Position{File: b.file, Line: 1, Col: 1}}
	}
	if depth > maxDepth && b.fault == nil {
		b.fault = tooDeep(b.at(n))
	}
	out := &node{pos: b.at(n)}
	if b.fault != nil {
		return out
	}
	switch v := n.(type) {
	case *ast.MappingNode:
		out.kind = isMap
		for _, entry := range v.Values {
			out.pairs = append(out.pairs, b.pair(entry, depth))
		}
	case *ast.MappingValueNode:
		out.kind, out.pairs = isMap, []pair{b.pair(v, depth)}
	case *ast.SequenceNode:
		out.kind = isList
		for _, item := range v.Values {
			if text, ok := unsplit(item); ok {
				out.items = append(out.items, &node{kind: isText, text: text, pos: b.at(item)})
				continue
			}
			out.items = append(out.items, b.build(item, depth+1))
		}
	default:
		b.scalar(out, n)
	}
	return out
}

// unsplit gives header:X back as the one text that it is: inside {a: [header:X]}
// the library takes a colon without a blank for the end of a key.
func unsplit(item ast.Node) (string, bool) {
	var entry *ast.MappingValueNode
	switch v := item.(type) {
	case *ast.MappingValueNode:
		entry = v
	case *ast.MappingNode:
		if v.IsFlowStyle || len(v.Values) != 1 {
			return "", false
		}
		entry = v.Values[0]
	default:
		return "", false
	}
	key, value := entry.Key.GetToken(), entry.Value
	if value == nil {
		return "", false
	}
	rest, joined := unsplit(value)
	first := value.GetToken()
	if joined {
		first = keyToken(value)
	} else if _, ok := value.(ast.ScalarNode); ok {
		rest = first.Value
	} else {
		return "", false
	}
	plain := key.Type == token.StringType && first.Type != token.DoubleQuoteType && first.Type != token.SingleQuoteType && first.Type != token.ImplicitNullType
	touching := first.Position.Line == key.Position.Line && first.Position.Column == key.Position.Column+len([]rune(key.Value))+1
	return key.Value + ":" + rest, plain && touching
}

func keyToken(n ast.Node) *token.Token {
	switch v := n.(type) {
	case *ast.MappingValueNode:
		return v.Key.GetToken()
	case *ast.MappingNode:
		return v.Values[0].Key.GetToken()
	default:
		return n.GetToken()
	}
}

func (b *builder) pair(entry *ast.MappingValueNode, depth int) pair {
	p := pair{key: entry.Key.GetToken().Value, pos: b.at(entry.Key), value: b.build(entry.Value, depth+1)}
	if _, ok := entry.Key.(ast.ScalarNode); !ok && b.fault == nil {
		b.fault = &Error{Position: p.pos, Problem: "a key is not plain text", Want: "key: value"}
	}
	return p
}

func (b *builder) scalar(out *node, n ast.Node) {
	out.text = n.GetToken().Value
	switch v := n.(type) {
	case *ast.NullNode:
		out.kind = isNull
	case *ast.StringNode:
		out.kind, out.text = isText, v.Value
	case *ast.LiteralNode:
		out.kind, out.text = isText, v.Value.Value
	case *ast.BoolNode:
		out.kind = isBool
	case *ast.IntegerNode:
		out.kind = isInt
	case *ast.FloatNode, *ast.NanNode, *ast.InfinityNode:
		out.kind = isFloat
	default:
		if b.fault == nil {
			b.fault = &Error{Position: out.pos, Problem: "this part of YAML is not read", Want: "a plain value, a list or a mapping"}
		}
	}
}
