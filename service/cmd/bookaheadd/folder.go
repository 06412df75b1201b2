package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/bookahead/bookahead/desk"
	"github.com/bookahead/bookahead/service/client"
	"github.com/bookahead/bookahead/service/internal/config"
	"github.com/bookahead/bookahead/service/internal/folder"
)

// onFolder verifies or dumps the folder of a service that is stopped, or a backup; writes a backup; or restores one.
func onFolder(ctx context.Context, command, file, backup string, out io.Writer) error {
	if file == "" {
		return errors.New("-config is left out: name the file of the service")
	}
	c, err := config.Load(file)
	if err != nil {
		return err
	}
	if backup == "" && (command == "backup" || command == "restore") {
		return errors.New("-backup is left out: name the file of the backup")
	}
	switch command {
	case "backup":
		err = writeBackup(ctx, c, backup)
	case "restore":
		err = restore(c, backup)
	}
	if err != nil {
		return err
	}
	d, err := deskOf(c, backup)
	if err != nil {
		return err
	}
	err = d.Verify()
	if err == nil && command == "dump" {
		return folder.Dump(out, c, d)
	}
	if err != nil {
		return fmt.Errorf("the books do not agree: %w", err)
	}
	return folder.Describe(out, c, d)
}

// deskOf returns the desk of a backup, or of the folder for "".
func deskOf(c *config.Config, backup string) (*desk.Desk, error) {
	if backup == "" {
		return folder.Open(c)
	}
	f, err := os.Open(backup)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return folder.ReadBackup(f, c)
}

// writeBackup writes a backup: of the service that runs, if there is the token of an operator, and else of the folder.
func writeBackup(ctx context.Context, c *config.Config, backup string) error {
	return folder.Save(backup, func(w io.Writer) error {
		token := os.Getenv("BOOKAHEAD_TOKEN")
		if token != "" {
			return client.New(token, cmp.Or(os.Getenv("BOOKAHEAD_URL"), c.URL)).Backup(ctx, w)
		}
		d, err := folder.Open(c)
		if err != nil {
			return fmt.Errorf("%w (a service that runs gives a backup to an operator: set BOOKAHEAD_TOKEN)", err)
		}
		return folder.WriteBackup(w, c, d)
	})
}

func restore(c *config.Config, backup string) error {
	f, err := os.Open(backup)
	if err != nil {
		return err
	}
	defer f.Close()
	return folder.Restore(c, f)
}
