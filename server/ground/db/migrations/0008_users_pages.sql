-- No row of before changes. An index that knows which accounts are deleted takes the place of one of before.
DROP INDEX "users_joined";--> statement-breakpoint
CREATE INDEX "users_joined" ON "users" USING btree ("created_at" DESC NULLS FIRST,"deleted_at");
