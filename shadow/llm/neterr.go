package llm

import (
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
)

// FailureFromError classifies an error of the transport: timeout, connect, reset,
// too_large, or malformed for broken compression. Its text is one of ours and names no address, since the errors of
// net/http hold the URL; the cause that stays in Err is a bare system error.
//
// A ctx that ended decides first: past its deadline it is a timeout; cancelled with
// a [*Failure] as cause it is that one; otherwise cancelled it is client_abort.
// err must not be nil; an err that is a *Failure already is given back.
func FailureFromError(ctx context.Context, err error) *Failure {
	var f *Failure
	switch {
	case errors.As(context.Cause(ctx), &f), errors.As(err, &f):
		return f
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &Failure{Class: Unavailable, Reason: Timeout, Err: context.DeadlineExceeded}
	case ctx.Err() != nil:
		return &Failure{Class: Unavailable, Reason: ClientAbort, Err: context.Canceled}
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &Failure{Class: Malformed, Reason: TooLarge, Err: errors.New("the answer is larger than the limit")}
	}
	var corrupt flate.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		return &Failure{Class: Malformed, Reason: MalformedReason, Err: errors.New("the answer's compression is broken")}
	}
	var timeout net.Error
	isTimeout := errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
	switch {
	case connecting(err):
		return &Failure{Class: Unavailable, Reason: Connect, Err: bare(err, "no connection")}
	case isTimeout:
		return &Failure{Class: Unavailable, Reason: Timeout, Err: os.ErrDeadlineExceeded}
	}
	return &Failure{Class: Unavailable, Reason: Reset, Err: bare(err, "connection lost")}
}

// connecting says whether the call failed before there was a connection.
func connecting(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return true
	}
	var (
		dns    *net.DNSError
		cert   *tls.CertificateVerificationError
		record tls.RecordHeaderError
		alert  tls.AlertError
		host   x509.HostnameError
		issuer x509.UnknownAuthorityError
	)
	return errors.As(err, &dns) || errors.As(err, &cert) || errors.As(err, &record) || errors.As(err, &alert) ||
		errors.As(err, &host) || errors.As(err, &issuer) || errors.Is(err, syscall.ECONNREFUSED)
}

// bare keeps of an error only what names no address.
func bare(err error, fallback string) error {
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		return errno
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return errors.New(fallback)
}
