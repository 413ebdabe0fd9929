package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/understudy-eval/understudy/shadow"
	"github.com/understudy-eval/understudy/shadow/llm"
	"github.com/understudy-eval/understudy/shadow/tap"
)

// recording is one request of a replayed file: a document, or why there is none.
type recording struct {
	place string // FILE:LINE
	id    shadow.SampleID
	doc   tap.Document
	lost  shadow.Dropped // with err
	err   error
}

// maxReplayLine bounds a line: bodies of the largest max_body that makes sense, escaped.
const maxReplayLine = 256 << 20

// textLines reads a file line by line, with their numbers; empty ones are passed over. The
// slice is the caller's.
func textLines(path string) iter.Seq2[numbered, error] {
	return func(yield func(numbered, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(numbered{}, err)
			return
		}
		defer f.Close()
		r := bufio.NewReader(f)
		for n := 1; ; n++ {
			line, err := readLine(r)
			if text := bytes.TrimSpace(line); len(text) > 0 && (err == nil || errors.Is(err, io.EOF)) {
				if !yield(numbered{n, text}, nil) {
					return
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(numbered{n, nil}, fmt.Errorf("%s:%d: %w", path, n, err))
				return
			}
		}
	}
}

type numbered struct {
	number int
	text   []byte
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := r.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) > maxReplayLine:
			return nil, fmt.Errorf("the line has over %d MiB: not a file of one document a line", maxReplayLine>>20)
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}

// isBatch says whether the file's first line is one of an OpenAI batch.
func isBatch(path string) (bool, error) {
	for line, err := range textLines(path) {
		var head struct {
			ID *string `json:"custom_id"`
		}
		return err == nil && json.Unmarshal(line.text, &head) == nil && head.ID != nil, err
	}
	return false, nil
}

// readDocuments reads a file of our own documents, one a line.
func readDocuments(path string) iter.Seq2[recording, error] {
	return func(yield func(recording, error) bool) {
		for line, err := range textLines(path) {
			r := recording{place: fmt.Sprintf("%s:%d", path, line.number)}
			if err == nil {
				if r.doc, r.err = tap.ReadDocument(line.text); r.err != nil {
					r.lost = shadow.DroppedMalformed
				}
				r.identify(line.text)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// identify gives what has no id one of its content, so that another replay knows it.
func (r *recording) identify(line []byte) {
	if r.doc.ID == "" {
		sum := sha256.Sum256(line)
		r.doc.ID = hex.EncodeToString(sum[:16])
	}
	r.id = r.doc.SampleID()
}

// batchRequest and batchAnswer are lines of an OpenAI batch's input and output file.
type batchRequest struct {
	ID   string          `json:"custom_id"`
	URL  string          `json:"url"`
	Body json.RawMessage `json:"body"`
}

type batchAnswer struct {
	ID       string `json:"custom_id"`
	Response *struct {
		Status int             `json:"status_code"`
		Body   json.RawMessage `json:"body"`
	} `json:"response"`
	Error *struct {
		Code string `json:"code"`
	} `json:"error"`
}

// readAnswers reads a batch's output file by custom_id. Of two lines of one the first counts.
func readAnswers(path string) (map[string]batchAnswer, error) {
	all := map[string]batchAnswer{}
	for line, err := range textLines(path) {
		if err != nil {
			return nil, err
		}
		var a batchAnswer
		if err := json.Unmarshal(line.text, &a); err != nil || a.ID == "" || a.Response == nil && a.Error == nil {
			return nil, fmt.Errorf("%s:%d: no line of a batch's output: want custom_id, and response or error", path, line.number)
		}
		if _, had := all[a.ID]; !had {
			all[a.ID] = a
		}
	}
	return all, nil
}

// readBatch joins the requests of an OpenAI batch with its answers. Nobody measured
// their times.
func readBatch(path string, answers map[string]batchAnswer) iter.Seq2[recording, error] {
	return func(yield func(recording, error) bool) {
		for line, err := range textLines(path) {
			r := recording{place: fmt.Sprintf("%s:%d", path, line.number)}
			if err == nil {
				r.fromBatch(line.text, answers)
				r.identify(line.text)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

func (r *recording) fromBatch(line []byte, answers map[string]batchAnswer) {
	var q batchRequest
	if err := json.Unmarshal(line, &q); err != nil || q.ID == "" || q.URL == "" || len(q.Body) == 0 {
		r.lost, r.err = shadow.DroppedMalformed, errors.New("no line of a batch's requests: want custom_id, method, url and body")
		return
	}
	r.doc = tap.Document{Endpoint: q.URL, Request: q.Body}
	a, ok := answers[q.ID]
	switch {
	case !ok:
		r.lost, r.err = shadow.DroppedIncompleteResponse, errors.New("the output file has no answer to it")
	case a.Response != nil:
		r.doc.Response, r.doc.Status = a.Response.Body, a.Response.Status
		var body struct {
			Created   int64 `json:"created"`
			CreatedAt int64 `json:"created_at"`
		}
		if json.Unmarshal(a.Response.Body, &body) == nil && max(body.Created, body.CreatedAt) > 0 {
			r.doc.Seen = time.Unix(max(body.Created, body.CreatedAt), 0).UTC()
		}
	default:
		r.doc.Failure = batchFailure(a.Error.Code)
	}
}

// batchFailure is why a request of a batch was not answered, by OpenAI's codes.
func batchFailure(code string) llm.Reason {
	switch code {
	case "batch_expired":
		return llm.Timeout
	case "batch_cancelled":
		return llm.ClientAbort
	}
	return llm.Status5xx
}
