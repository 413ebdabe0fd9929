package config

import (
	"slices"
	"strings"
)

// policySections notes which models the policies join. Policies themselves are not
// built, but what the tap serves through must not be an arm as well.
func (r *draft) policySections(d *decoder, path string, n *node) {
	for _, p := range n.pairs {
		r.policies[p.key] = stages(p.value)
	}
	notYet(d, path, n)
}

// stages are the names in a policy: {race: {primary: a, reserve: b}}, {failover:
// [a, b]} or {round_robin: [a, b]}. Whatever has another form names nothing.
func stages(n *node) []string {
	var names []string
	add := func(n *node) {
		if n.kind == isText {
			names = append(names, n.text)
		}
	}
	for _, form := range n.pairs {
		switch form.key {
		case "race":
			for _, p := range form.value.pairs {
				if p.key == "primary" || p.key == "reserve" {
					add(p.value)
				}
			}
		case "failover", "round_robin":
			for _, item := range form.value.items {
				add(item)
			}
		}
	}
	return names
}

// asked are the models that a name stands for: the model itself, or all that a
// policy and the policies in it join.
func (r *draft) asked(name string) []Model {
	var models []Model
	seen := map[string]bool{}
	for open := []string{name}; len(open) > 0; open = open[1:] {
		next := open[0]
		if seen[next] {
			continue
		}
		seen[next] = true
		if m, ok := r.Model(next); ok {
			models = append(models, m)
			continue
		}
		open = append(open, r.policies[next]...)
	}
	return models
}

// served reads the name of the policy that the tap is to serve through.
func (r *draft) served(d *decoder, path string, n *node) {
	d.fail(n.pos, path, "not supported yet", wantUpstream)
	if n.kind == isText {
		name, _ := strings.CutPrefix(n.text, "policy:")
		r.serves, r.servesAt = strings.TrimSpace(name), path
	}
}

// checkServed refuses a candidate that is also a stage of the policy which users are
// served through: its answers would be both seen by users and judged in the shadow.
func (r *draft) checkServed() {
	if r.serves == "" {
		return
	}
	if _, ok := r.policies[r.serves]; !ok {
		r.failAt(r.servesAt, "no policy is named "+printable(r.serves), suggest(r.serves, r.policies))
	}
	onStage := r.asked(r.serves)
	for _, c := range r.Candidates {
		shared := slices.IndexFunc(r.asked(c.Model), func(m Model) bool {
			return slices.ContainsFunc(onStage, func(s Model) bool { return sameModel(m, s) })
		})
		if c.Control || shared < 0 {
			continue
		}
		r.failAt(under("candidates", c.Name)+".model", printable(r.asked(c.Model)[shared].Name)+
			" is also a stage of the policy "+printable(r.serves)+" that the tap serves through, and a candidate's answer is never served",
			"a model that is not served, or control: true")
	}
}
