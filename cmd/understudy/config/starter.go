package config

import (
	_ "embed"
	"slices"
)

//go:embed starter.yaml
var starter []byte

// Starter is the commented understudy.yaml for a user who begins: three edits lead
// to an own service, the rest are defaults. It names the rubric folder
// [StarterRubric] beside it. The bytes are the caller's own.
func Starter() []byte { return slices.Clone(starter) }

// StarterRubric is the folder that [Starter] takes the rubric from.
const StarterRubric = "rubric.d"
