package main

import (
	"errors"
	"os"
	"strings"
)

// addProblem lists one more problem behind none.
func addProblem(file, id string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	text := strings.Replace(string(data), "  - id: none\n", "  - id: "+id+"\n    use: made for a test\n  - id: none\n", 1)
	if text == string(data) {
		return errors.New("no problem none in " + file)
	}
	return os.WriteFile(file, []byte(text), 0o600)
}
