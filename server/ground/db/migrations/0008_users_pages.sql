-- No row of before changes. An index in which a page far in the list of accounts is found takes the place of one of before.
DROP INDEX "users_joined";--> statement-breakpoint
CREATE INDEX "users_joined" ON "users" USING btree ("created_at" DESC NULLS FIRST,"id","deleted_at");
