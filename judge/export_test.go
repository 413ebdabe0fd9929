package judge

// Plants lists the planted instructions by id, for tests.
func Plants() map[string]string {
	all := map[string]string{}
	for _, p := range plants() {
		all[p.id] = p.text
	}
	return all
}
