package reports

import _ "embed"

//go:embed report.schema.json
var schema []byte

// Schema is the JSON Schema (draft 2020-12) of what [Report.JSON] writes. It is
// closed: a member that it does not name is an error. The description of a figure
// ends with its unit.
func Schema() []byte { return append([]byte(nil), schema...) }
