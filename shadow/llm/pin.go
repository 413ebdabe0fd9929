package llm

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Provider is whose interface a model is asked through.
type Provider string

// The providers. ProviderOpenAI is also every server that speaks OpenAI's API.
const (
	ProviderOpenAI    Provider = "openai"
	ProviderAnthropic Provider = "anthropic"
	ProviderGoogle    Provider = "google"
	ProviderOllama    Provider = "ollama"
)

// Providers lists the providers in the order in which messages name them.
func Providers() []Provider {
	return []Provider{ProviderOpenAI, ProviderAnthropic, ProviderGoogle, ProviderOllama}
}

// Pin says what makes a model a snapshot: a version that cannot change unnoticed.
type Pin string

const (
	// PinDate is an id that carries its date, e.g. gpt-5-2025-08-07. The reply's
	// model has to be the same id.
	PinDate Pin = "date"
	// PinName is an id without a date that its vendor never moves, e.g.
	// claude-sonnet-5. The reply's model has to be the same id.
	PinName Pin = "name"
	// PinDigest is a tag of a self-hosted model with the digest of its weights. The
	// reply names the tag only: the digest has to be compared with the server's.
	PinDigest Pin = "digest"
)

// ErrAlias says that a model id may come to mean another version.
var ErrAlias = errors.New("not a snapshot")

const earliestYear, latestYear = 2020, 2099 // of the dates that ids carry

var (
	dashedDate  = regexp.MustCompile(`(?:^|[-@_:./])([0-9]{4})-([0-9]{2})-([0-9]{2})(?:$|[-@_:./])`)
	compactDate = regexp.MustCompile(`(?:^|[-@_:./])([0-9]{4})([0-9]{2})([0-9]{2})(?:$|[-@_:./])`)
	// monthDay is the short form of early OpenAI snapshots: gpt-4-0613, gpt-4-1106-preview.
	monthDay = regexp.MustCompile(`^gpt-[a-z0-9.-]*-([0-9]{2})([0-9]{2})(?:-preview|-vision-preview)?$`)
	latest   = regexp.MustCompile(`(?i)(?:^|[-@_:./])latest(?:$|[-@_:./])`)
	// claudeNew is claude-<family>-<major>[-<minor>]; claudeOld the order before
	// Claude 4, claude-<major>[-<minor>]-<family>.
	claudeNew   = regexp.MustCompile(`^claude-[a-z]+-([0-9]{1,2})(?:[-.]([0-9]{1,2}))?(?:-[a-z][a-z0-9-]*)?$`)
	claudeOld   = regexp.MustCompile(`^claude-[0-9]|^claude-instant`)
	digestText  = regexp.MustCompile(`^(?:sha256:)?[0-9a-fA-F]{8,64}$`)
	claudePlace = regexp.MustCompile(`^(?:[a-z]+\.)*anthropic\.|^anthropic/`)
)

// ValidDigest says whether text is a digest: 8 to 64 hexadecimal digits, with or
// without sha256: before them.
func ValidDigest(text string) bool { return digestText.MatchString(text) }

// PinnedBy says what makes a model id a snapshot at its provider, or why it is none.
//
// selfHosted is for [ProviderOpenAI] at an address other than the vendor's: there
// an id is whatever the operator chose, dated or not, so it needs a digest. Rules
// per provider:
//
//	openai     dated ids are snapshots, also with month and day only (-0613); a
//	           fine-tune counts by its base model. Undated ids and -latest are aliases.
//	anthropic  ids with a date, and every id of generation 4.6 or later; else an alias.
//	google     every id but …-latest.
//	ollama     a tag can be pulled again: only with a digest.
//
// The error wraps [ErrAlias]; its text says what would be right.
func PinnedBy(provider Provider, selfHosted bool, model, digest string) (Pin, error) {
	if model == "" || strings.ContainsFunc(model, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "", fmt.Errorf("%w: %q is no model id", ErrAlias, model)
	}
	if digest != "" && !ValidDigest(digest) {
		return "", fmt.Errorf("%w: %q is no digest (8 to 64 hexadecimal digits, with or without sha256: before them)", ErrAlias, digest)
	}
	switch provider {
	case ProviderOpenAI:
		if selfHosted {
			return pinHosted(model, digest)
		}
		return pinOpenAI(model)
	case ProviderAnthropic:
		return pinAnthropic(model)
	case ProviderGoogle:
		return pinGoogle(model)
	case ProviderOllama:
		if digest == "" {
			return "", fmt.Errorf("%w: the tag %s can be pulled again; give its digest (ollama: /api/tags)", ErrAlias, model)
		}
		return PinDigest, nil
	default:
		return "", fmt.Errorf("%w: provider %q is not known", ErrAlias, provider)
	}
}

func pinHosted(model, digest string) (Pin, error) {
	if digest != "" {
		return PinDigest, nil
	}
	return "", fmt.Errorf("%w: %s is served by another server than the vendor's, where what stands behind an id can be exchanged; give its digest", ErrAlias, model)
}

func pinOpenAI(model string) (Pin, error) {
	base := model
	if tuned, ok := strings.CutPrefix(model, "ft:"); ok {
		// ft:<base>:<organisation>:<suffix>:<job>; the job's id never moves, the base may.
		parts := strings.Split(tuned, ":")
		if len(parts) < 3 || parts[len(parts)-1] == "" {
			return "", fmt.Errorf("%w: %s is no whole id of a fine-tuned model (ft:base:organisation:suffix:id)", ErrAlias, model)
		}
		base = parts[0]
	}
	if bare, ok := strings.CutPrefix(base, "openai/"); ok {
		return "", fmt.Errorf("%w: OpenAI's ids have no prefix; write a dated id such as %s-YYYY-MM-DD", ErrAlias, withoutDate(bare))
	}
	if base != strings.ToLower(base) {
		return "", fmt.Errorf("%w: OpenAI's ids are lower case; write %s", ErrAlias, strings.ToLower(base))
	}
	dated, err := hasDate(base)
	switch {
	case err != nil:
		return "", err
	case latest.MatchString(base):
	case dated && dashedDate.MatchString(base), shortDate(base):
		return PinDate, nil
	}
	return "", fmt.Errorf("%w: %s is an alias that OpenAI can move; write the dated id, such as %s-YYYY-MM-DD", ErrAlias, base, stem(base))
}

func pinAnthropic(model string) (Pin, error) {
	if model != strings.ToLower(model) {
		return "", fmt.Errorf("%w: Anthropic's ids are lower case; write %s", ErrAlias, strings.ToLower(model))
	}
	id := claudePlace.ReplaceAllString(model, "")
	dated, err := hasDate(id)
	switch {
	case err != nil:
		return "", err
	case latest.MatchString(id):
		return "", fmt.Errorf("%w: %s is moved by Anthropic; write the dated id, or an id of generation 4.6 or later such as claude-sonnet-5", ErrAlias, model)
	case dated:
		return PinDate, nil
	case fromFourSix(id):
		return PinName, nil
	case strings.HasPrefix(id, "claude-"):
		return "", fmt.Errorf("%w: %s is a short form that Anthropic can move (ids without a date are fixed from generation 4.6 on); write it with its date, such as %s-YYYYMMDD", ErrAlias, model, stem(id))
	default:
		return "", fmt.Errorf("%w: %s is no id of Anthropic's; write one such as claude-sonnet-5", ErrAlias, model)
	}
}

func pinGoogle(model string) (Pin, error) {
	if latest.MatchString(model) {
		return "", fmt.Errorf("%w: %s is moved by Google; write the id of a version, without latest", ErrAlias, model)
	}
	if bare, ok := strings.CutPrefix(model, "models/"); ok {
		return "", fmt.Errorf("%w: replies name the model without models/; write %s", ErrAlias, bare)
	}
	if _, err := hasDate(model); err != nil {
		return "", err
	}
	return PinName, nil
}

// fromFourSix says whether a Claude id is of generation 4.6 or later.
func fromFourSix(id string) bool {
	if claudeOld.MatchString(id) {
		return false
	}
	m := claudeNew.FindStringSubmatch(id)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1]) // two digits at most
	minor, _ := strconv.Atoi("0" + m[2])
	return major > 4 || major == 4 && minor >= 6
}

// Dated says whether an id carries a full date (YYYY-MM-DD or YYYYMMDD).
func Dated(id string) bool {
	dated, err := hasDate(id)
	return dated && err == nil
}

// hasDate says whether an id carries a full date; one that is no day of the
// calendar is an error: somebody mistyped a snapshot.
func hasDate(id string) (bool, error) {
	for _, form := range []*regexp.Regexp{dashedDate, compactDate} {
		m := form.FindStringSubmatch(id)
		if m == nil {
			continue
		}
		day, err := time.Parse(time.DateOnly, m[1]+"-"+m[2]+"-"+m[3])
		if err != nil || day.Year() < earliestYear || day.Year() > latestYear {
			return false, fmt.Errorf("%w: the date in %s is none; copy the id from the provider's list", ErrAlias, id)
		}
		return true, nil
	}
	return false, nil
}

// shortDate says whether an OpenAI id ends in month and day, such as gpt-4-0613.
func shortDate(id string) bool {
	m := monthDay.FindStringSubmatch(id)
	if m == nil {
		return false
	}
	_, err := time.Parse(time.DateOnly, "2024-"+m[1]+"-"+m[2])
	return err == nil
}

// stem is an id without what makes it an alias, for an example in a message.
func stem(id string) string {
	return strings.TrimSuffix(withoutDate(id), "-latest")
}

func withoutDate(id string) string {
	if m := dashedDate.FindStringIndex(id); m != nil {
		return id[:m[0]]
	}
	return id
}
