package llm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// openAPISchema translates Gemini's Schema, a subset of OpenAPI 3.0, to JSON Schema:
// types in lower case, nullable as the type null, bounds that came as text ("3") as
// numbers, names in snake case as well. Values of an enum are texts there, also of
// an INTEGER, which comes back as text or as a number: both fit. nil gives nil.
func openAPISchema(v value) value {
	if v.null() {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(v))
	dec.UseNumber()
	var schema any
	if dec.Decode(&schema) != nil {
		return v
	}
	out, err := json.Marshal(translated(schema))
	if err != nil {
		return v
	}
	return out
}

func translated(schema any) any {
	from, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	to := make(map[string]any, len(from))
	for _, name := range slices.Sorted(maps.Keys(from)) {
		key := camelCase(name)
		to[key] = translatedKeyword(key, from[name])
	}
	enumOfNumbers(to)
	nullable(to)
	return to
}

func translatedKeyword(key string, val any) any {
	switch key {
	case "type":
		if s, ok := val.(string); ok {
			return strings.ToLower(s)
		}
	case "items", "additionalProperties":
		return translated(val)
	case "anyOf", "prefixItems":
		if list, ok := val.([]any); ok {
			out := make([]any, len(list))
			for i, s := range list {
				out[i] = translated(s)
			}
			return out
		}
	case "properties", "defs", "$defs":
		if named, ok := val.(map[string]any); ok {
			out := make(map[string]any, len(named))
			for name, s := range named {
				out[name] = translated(s)
			}
			return out
		}
	case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
		if s, ok := val.(string); ok {
			return json.Number(s)
		}
	}
	return val
}

// enumOfNumbers lets an enum of texts stand for numbers where the type says so.
func enumOfNumbers(schema map[string]any) {
	kind, _ := schema["type"].(string)
	list, ok := schema["enum"].([]any)
	if !ok || kind != "integer" && kind != "number" {
		return
	}
	out := slices.Clone(list)
	for _, item := range list {
		if s, ok := item.(string); ok && json.Valid([]byte(s)) {
			out = append(out, json.RawMessage(s))
		}
	}
	schema["enum"] = out
	delete(schema, "type")
}

// nullable takes the word nullable over into type, enum and anyOf.
func nullable(schema map[string]any) {
	yes, _ := schema["nullable"].(bool)
	delete(schema, "nullable")
	if kind, _ := schema["type"].(string); kind == "type_unspecified" {
		delete(schema, "type")
	}
	if !yes {
		return
	}
	if kind, ok := schema["type"].(string); ok {
		schema["type"] = []any{kind, "null"}
	}
	if list, ok := schema["enum"].([]any); ok && !slices.Contains(list, any(nil)) {
		schema["enum"] = append(list, nil)
	}
	if list, ok := schema["anyOf"].([]any); ok {
		schema["anyOf"] = append(list, map[string]any{"type": "null"})
	}
}

// camelCase turns min_items into minItems.
func camelCase(name string) string {
	parts := strings.Split(name, "_")
	for i, p := range parts[1:] {
		if p != "" {
			parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}
