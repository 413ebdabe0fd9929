package bus_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// startExternal runs a server as somebody else would operate it, until the test ends.
func startExternal(t *testing.T, o *server.Options) *server.Server {
	t.Helper()
	o.Host, o.Port, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, true, true
	o.JetStream, o.StoreDir = true, filepath.Join(t.TempDir(), "store")
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(30 * time.Second) {
		t.Fatal("server not ready")
	}
	return s
}

// authority is a certificate authority made for one test.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, key: newKey(t), pool: x509.NewCertPool()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.pool.AddCert(a.cert)
	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// issue makes a certificate for both ends, valid for 127.0.0.1 until a time.
func (a *authority) issue(until time.Time) tls.Certificate {
	a.t.Helper()
	key := newKey(a.t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "one end"},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// operator signs one account, which signs users, as NATS' decentralised
// authentication has it.
type operator struct {
	t               *testing.T
	account, system nkeys.KeyPair
}

// guard has a server admit only the operator's users.
func guard(t *testing.T, o *server.Options) *operator {
	t.Helper()
	own := must(nkeys.CreateOperator())
	op := &operator{t: t, account: must(nkeys.CreateAccount()), system: must(nkeys.CreateAccount())}
	claims := jwt.NewOperatorClaims(must(own.PublicKey()))
	claims.SystemAccount = must(op.system.PublicKey())
	must(claims.Encode(own)) // sets the issuer
	account := jwt.NewAccountClaims(must(op.account.PublicKey()))
	account.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1, Streams: -1, Consumer: -1}
	resolver := &server.MemAccResolver{}
	for key, token := range map[nkeys.KeyPair]string{
		op.account: must(account.Encode(own)),
		op.system:  must(jwt.NewAccountClaims(claims.SystemAccount).Encode(own)),
	} {
		if err := resolver.Store(must(key.PublicKey()), token); err != nil {
			t.Fatal(err)
		}
	}
	o.TrustedOperators, o.AccountResolver, o.SystemAccount = []*jwt.OperatorClaims{claims}, resolver, claims.SystemAccount
	return op
}

// creds writes a credentials file of an account's user; change may alter its claims.
func (op *operator) creds(account nkeys.KeyPair, change func(*jwt.UserClaims)) (path, seed string) {
	op.t.Helper()
	user := must(nkeys.CreateUser())
	claims := jwt.NewUserClaims(must(user.PublicKey()))
	if change != nil {
		change(claims)
	}
	secret := must(user.Seed())
	path = filepath.Join(op.t.TempDir(), "user.creds")
	if err := os.WriteFile(path, must(jwt.FormatUserConfig(must(claims.Encode(account)), secret)), 0o600); err != nil {
		op.t.Fatal(err)
	}
	return path, string(secret)
}

// must is for keys and tokens of our own making, which cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
