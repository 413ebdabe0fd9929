// Package config reads understudy.yaml: bytes in, typed and checked values out.
//
// What enters: a YAML document (durations 1.5s, 20s, 30d; shares 1% or 0.01; sizes
// 1MiB; days 2026-10-05; keys as references env:NAME or file:PATH). What leaves: a
// [Config] in which every default is filled in, or all faults at once, each with
// file, line, column, what is wrong and what would be right ([Error]). Durations are
// [time.Duration], shares float64 in 0..1, sizes int64 bytes, days UTC midnights.
//
// It never starts anything, never asks a network, never holds the value of a key,
// and never repairs a value: what it does not understand it refuses. Anchors,
// aliases, merge keys, tags and further documents are refused altogether, so that
// no small file can grow when it is read. What is known but not built is refused
// as not supported yet, unless it is switched off (empty, 0 or none).
//
// Relative paths (folders, rubric, file: references, certificates) are taken from
// the folder of the configuration file.
package config
