package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// judged is one of the 640 answers that GPT-4 scored three times, 5 best; see the
// README beside the data.
type judged struct {
	Bench, Idx, Model, Instruction, Answer string
	Scores                                 []float64
}

func judgedAnswers(t *testing.T) []judged {
	f, err := os.Open(filepath.Join(sharedData(t, "judge-scores"), "gpt4_scores.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []judged
	for dec := json.NewDecoder(f); dec.More(); {
		var one judged
		if err := dec.Decode(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if len(all) != 640 {
		t.Fatalf("%d answers, want 640", len(all))
	}
	return all
}

// published is what judge-retest-1to5 says of a bench, computed by R.
type published struct {
	Pairs []struct {
		Runs           []int
		Agreement, QWK float64
		QWKSE          float64 `json:"qwk_se"`
	}
	Models map[string]float64
	Paired []struct {
		From, To    string
		N           int
		DeltaRun1   float64 `json:"delta_run_1"`
		SERun1      float64 `json:"se_run_1"`
		DeltaThree  float64 `json:"delta_3_runs"`
		SEThreeRuns float64 `json:"se_3_runs"`
	} `json:"paired_vs_first_model"`
}

// readRetest gives a bench's published figures, and the three scores by prompt and model.
func readRetest(t *testing.T, bench string) (published, map[string][]float64) {
	dir := sharedData(t, "judge-retest-1to5")
	data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	var want published
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(all[bench], &want); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(filepath.Join(dir, bench+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string][]float64{}
	for _, line := range lines[1:] {
		for _, text := range line[2:] {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			scores[line[0]+" "+line[1]] = append(scores[line[0]+" "+line[1]], v)
		}
	}
	return want, scores
}
