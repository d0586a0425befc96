-- Every row of the ledger stays as it is.
CREATE INDEX "ledger_entries_ends" ON "ledger_entries" USING btree ("ends_at") WHERE "ledger_entries"."kind" = 'payment';--> statement-breakpoint
CREATE INDEX "ledger_entries_money" ON "ledger_entries" USING btree ("created_at") WHERE "ledger_entries"."kind" in ('payment', 'refund');