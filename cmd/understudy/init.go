package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-eval/understudy/cmd/understudy/config"
	"github.com/understudy-eval/understudy/rubric/standard"
)

const configFile = "understudy.yaml"

func newInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a first configuration and a rubric to edit",
		Long: `init writes understudy.yaml, about 30 commented lines with three edits to make it
yours, and the standard rubric as files that you can edit. Nothing that exists is
overwritten. With --config FILE the configuration gets that name, and the rubric
lies beside it.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, name, err := starterPlace(cmd, args)
			if err != nil {
				return usageError{err}
			}
			written, err := writeStarter(dir, name)
			for _, path := range written {
				fmt.Fprintln(cmd.OutOrStdout(), "wrote", path)
			}
			if err != nil {
				return err
			}
			path := filepath.Join(dir, name)
			fmt.Fprintf(cmd.OutOrStdout(), "next: make the three edits marked in %s, then\n  understudy check --config %s\n", path, path)
			return nil
		},
	}
}

// starterPlace is where to write: the folder that is named, or the file of --config.
func starterPlace(cmd *cobra.Command, args []string) (dir, name string, err error) {
	file, err := cmd.Flags().GetString("config")
	switch {
	case err != nil:
		return "", "", err
	case !cmd.Flags().Changed("config") && len(args) == 0:
		return ".", configFile, nil
	case !cmd.Flags().Changed("config"):
		return filepath.Clean(args[0]), configFile, nil
	case len(args) == 1:
		return "", "", errors.New("a folder and --config both say where to write; give one of them")
	case file == "" || strings.HasSuffix(file, "/"):
		return "", "", fmt.Errorf("--config %q names no file", file)
	}
	return filepath.Dir(file), filepath.Base(file), nil
}

// writeStarter writes the first configuration, under the given name, and the standard
// rubric into a folder and says which files it wrote. If one of them exists, it writes none.
func writeStarter(dir, configName string) ([]string, error) {
	files := map[string][]byte{configName: config.Starter()}
	order := []string{configName}
	for _, name := range []string{"rubric.yaml", "prompt.tmpl"} {
		data, err := fs.ReadFile(standard.FS, name)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(config.StarterRubric, name)
		files[path] = data
		order = append(order, path)
	}
	for _, name := range order {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return nil, fmt.Errorf("%s exists; move it away, or name another folder: understudy init DIR", path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, config.StarterRubric), 0o755); err != nil {
		return nil, err
	}
	var written []string
	for _, name := range order {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return written, err
		}
		written = append(written, path)
	}
	return written, nil
}
