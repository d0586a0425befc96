-- No row, vault or session of before changes. What was paid ahead and has begun unnoticed is given by the first look of the server.
CREATE INDEX "ledger_entries_ahead" ON "ledger_entries" USING btree ("starts_at") WHERE "ledger_entries"."starts_at" > "ledger_entries"."created_at";
