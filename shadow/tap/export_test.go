package tap

// Discard counts what waits in the queue as stopped, as a decoder would take it.
func (t *Tap) Discard() { t.discard() }
