-- Entries of before have no tax: none was kept, and a null changes no hash of them. Their receipts are written by the first job after this, with the
-- numbers of its year. A build of before that runs on this database writes no tax, and its payments get their receipts later.
CREATE TABLE "business_details" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"address" text NOT NULL,
	"tax_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "receipt_counters" (
	"name" text PRIMARY KEY NOT NULL,
	"value" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "receipts" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"number" text NOT NULL,
	"user_id" uuid,
	"is_test" boolean NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"printed" jsonb NOT NULL,
	CONSTRAINT "receipts_number_unique" UNIQUE("number")
);
--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "tax_cents" bigint;--> statement-breakpoint
ALTER TABLE "business_details" ADD CONSTRAINT "business_details_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "receipts" ADD CONSTRAINT "receipts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "receipts_user" ON "receipts" USING btree ("user_id","seq");--> statement-breakpoint
CREATE INDEX "receipts_issued" ON "receipts" USING btree ("issued_at");--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_tax" CHECK ("ledger_entries"."tax_cents" between 0 and "ledger_entries"."amount_cents");