// Package embedded runs the bus, a NATS server with JetStream, inside this process,
// for a single machine that needs no message server of its own.
//
// What enters: a folder for its files, and whether other processes may connect.
// What leaves: a server that package bus connects to, by an address on loopback or
// within the process, without any port.
//
// What the server acknowledged is on disk unless [Options.Sync] allows otherwise.
// It never listens beyond loopback: it asks nobody for a password.
package embedded
