package embedded

import (
	"fmt"
	"log/slog"
	"sync"
)

// logger passes the server's lines on and keeps the first fatal one: the server
// reports why it cannot start in no other way.
type logger struct {
	log   *slog.Logger
	mu    sync.Mutex
	fatal string
}

func (l *logger) Noticef(format string, v ...any) { l.log.Debug("bus server", "says", line(format, v)) }
func (l *logger) Debugf(format string, v ...any)  { l.log.Debug("bus server", "says", line(format, v)) }
func (l *logger) Tracef(format string, v ...any)  { l.log.Debug("bus server", "says", line(format, v)) }
func (l *logger) Warnf(format string, v ...any)   { l.log.Warn("bus server", "says", line(format, v)) }

func (l *logger) Errorf(format string, v ...any) {
	l.log.Error("bus server", "says", line(format, v))
}

func (l *logger) Fatalf(format string, v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fatal == "" {
		l.fatal = line(format, v)
	}
	l.log.Error("bus server", "says", line(format, v))
}

// worst is the first fatal line, or nothing.
func (l *logger) worst() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

func line(format string, v []any) string { return fmt.Sprintf(format, v...) }
