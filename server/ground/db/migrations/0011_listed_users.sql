-- No row of before changes, and no vault or session. The living accounts are written once more in short rows, as administrators list and search
-- them; who has never been online gets a row of presence. From then on triggers write both with each account. They are made by this very
-- start, and a build of before that is started again later finds them still there. Days that were written before say nothing of what was
-- stored: the next run of the job, within the hour, writes it for today.
LOCK TABLE "users" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "listed_users" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"words" text collate "C" NOT NULL,
	"is_active" boolean NOT NULL,
	"is_admin" boolean NOT NULL,
	"plan" text NOT NULL,
	"plan_ends" timestamp (3) with time zone,
	"is_in_family" boolean NOT NULL
);
--> statement-breakpoint
INSERT INTO "listed_users"
SELECT id, created_at, lower(username || E'\n' || display_name), is_active, is_admin,
	CASE WHEN subscription_end_date IS NULL AND subscription_status <> 'active' THEN 'free'
		ELSE coalesce('package:' || subscription_package_id, subscription_tier) END,
	subscription_end_date, master_account_id IS NOT NULL
FROM users WHERE deleted_at IS NULL;--> statement-breakpoint
ALTER TABLE "listed_users" ADD CONSTRAINT "listed_users_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "listed_users_joined" ON "listed_users" USING btree ("created_at" DESC NULLS FIRST,"user_id");--> statement-breakpoint
CREATE INDEX "listed_users_words" ON "listed_users" USING btree ("words","user_id");--> statement-breakpoint
INSERT INTO "presence" ("user_id", "nodes") SELECT id, '{}' FROM users WHERE deleted_at IS NULL ON CONFLICT DO NOTHING;--> statement-breakpoint
CREATE INDEX "presence_seen" ON "presence" USING btree (("nodes" = '{}'),"last_seen" DESC NULLS LAST,"user_id");--> statement-breakpoint
ALTER TABLE "daily_figures" ADD COLUMN "storage_bytes" bigint;--> statement-breakpoint
DROP INDEX "users_blocked";--> statement-breakpoint
DROP INDEX "users_joined";--> statement-breakpoint
CREATE INDEX "users_joined" ON "users" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "users_package" ON "users" USING btree ("subscription_package_id") WHERE "users"."subscription_package_id" is not null;--> statement-breakpoint
CREATE INDEX "card_accounts_package" ON "card_accounts" USING btree ("package_id") WHERE "card_accounts"."package_id" is not null;--> statement-breakpoint
CREATE INDEX "crypto_payments_package" ON "crypto_payments" USING btree ("package_id") WHERE "crypto_payments"."package_id" is not null;--> statement-breakpoint
CREATE INDEX "ledger_entries_package" ON "ledger_entries" USING btree ("package_id") WHERE "ledger_entries"."package_id" is not null;
