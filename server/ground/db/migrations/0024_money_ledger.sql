-- Plans that were given before become grants of the ledger, with their dates, so that nobody's plan changes.
CREATE TABLE "ledger_entries" (
	"place" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ledger_entries_place_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" text NOT NULL,
	"kind" text NOT NULL,
	"user_id" uuid NOT NULL,
	"source" text NOT NULL,
	"tier" text NOT NULL,
	"package_id" uuid,
	"billing_period" text,
	"amount_cents" bigint NOT NULL,
	"coin" text,
	"coin_units" text,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"refers_to" text,
	"reference" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "ledger_entries_key_unique" UNIQUE("key"),
	CONSTRAINT "ledger_entries_amount" CHECK ("ledger_entries"."amount_cents" >= 0 and "ledger_entries"."coin_units" ~ '^[0-9]{1,78}$' is not false)
);
--> statement-breakpoint
CREATE TABLE "premium_packages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"tier" text NOT NULL,
	"monthly_price" integer DEFAULT 0 NOT NULL,
	"yearly_price" integer DEFAULT 0 NOT NULL,
	"messages_limit" integer DEFAULT -1 NOT NULL,
	"file_storage_gb" integer DEFAULT -1 NOT NULL,
	"voice_call_minutes" integer DEFAULT -1 NOT NULL,
	"video_call_minutes" integer DEFAULT -1 NOT NULL,
	"advanced_encryption" boolean DEFAULT false NOT NULL,
	"priority_support" boolean DEFAULT false NOT NULL,
	"custom_branding" boolean DEFAULT false NOT NULL,
	"api_access" boolean DEFAULT false NOT NULL,
	"stripe_price_id_monthly" text,
	"stripe_price_id_yearly" text,
	"is_active" boolean DEFAULT true NOT NULL,
	"display_order" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "subscription_package_id" uuid;--> statement-breakpoint
ALTER TABLE "plan_rights" ADD COLUMN "tier" text;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_package_id_premium_packages_id_fk" FOREIGN KEY ("package_id") REFERENCES "public"."premium_packages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ledger_entries_user" ON "ledger_entries" USING btree ("user_id","place");--> statement-breakpoint
CREATE INDEX "ledger_entries_refers" ON "ledger_entries" USING btree ("refers_to");--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_subscription_package_id_premium_packages_id_fk" FOREIGN KEY ("subscription_package_id") REFERENCES "public"."premium_packages"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "users_subscription_end" ON "users" USING btree ("subscription_end_date");
--> statement-breakpoint
UPDATE "plan_rights" SET "tier" = "plan";
--> statement-breakpoint
INSERT INTO "premium_packages" ("id", "name", "description", "tier", "monthly_price", "yearly_price", "advanced_encryption", "priority_support", "created_at", "updated_at")
VALUES ('5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01', 'Premium', 'Unlimited messages, calls and files, with priority support', 'premium', 100000, 800000, true, true, now(), now());
--> statement-breakpoint
INSERT INTO "ledger_entries" ("key", "kind", "user_id", "source", "tier", "amount_cents", "starts_at", "ends_at", "created_at")
SELECT 'grant:before:' || id, 'grant', id, 'operator', subscription_tier, 0, coalesce(subscription_start_date, created_at), subscription_end_date, now()
FROM users WHERE subscription_tier <> 'free' AND deleted_at IS NULL AND (subscription_status = 'active' OR subscription_end_date IS NOT NULL);
--> statement-breakpoint
CREATE FUNCTION "refuse_change_of_ledger"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'The ledger is only appended to';
END $$;
--> statement-breakpoint
CREATE TRIGGER "ledger_entries_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_entries" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_ledger();
--> statement-breakpoint
-- As before, but a package counts by its own row.
CREATE OR REPLACE FUNCTION "rights_of"("account" uuid, "at" timestamp with time zone) RETURNS SETOF "plan_rights"
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT r.* FROM users u JOIN plan_rights r ON r.plan = CASE
		WHEN u.subscription_end_date <= at THEN 'free'
		WHEN u.subscription_end_date IS NULL AND u.subscription_status <> 'active' THEN 'free'
		ELSE coalesce('package:' || u.subscription_package_id, u.subscription_tier)
	END
	WHERE u.id = account
$$;
