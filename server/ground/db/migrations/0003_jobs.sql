CREATE TABLE "jobs" (
	"name" text PRIMARY KEY NOT NULL,
	"last_started_at" timestamp (3) with time zone NOT NULL,
	"last_finished_at" timestamp (3) with time zone,
	"outcome" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "key_packages" ADD COLUMN "claimed_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "contacts_requests" ON "contacts" USING btree ("added_at") WHERE "contacts"."state" = 'pending';--> statement-breakpoint
CREATE INDEX "key_packages_unclaimed" ON "key_packages" USING btree ("created_at") WHERE "key_packages"."claimed_by" is null and not "key_packages"."is_last_resort";--> statement-breakpoint
CREATE INDEX "key_packages_claims" ON "key_packages" USING btree ("claimed_at") WHERE "key_packages"."claimed_by" is not null;