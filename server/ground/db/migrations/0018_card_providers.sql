-- No row of before is rewritten. Cards and ledger entries of before are of the provider 1, which is unknown: their payments count until a
-- server starts with a provider, and from then on as that one's. An entry that is no card payment has the 1 too, where it says nothing.
CREATE TABLE "card_providers" (
	"id" integer PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"is_live" boolean NOT NULL,
	"account" text NOT NULL,
	"counts" boolean NOT NULL,
	"start" integer NOT NULL,
	CONSTRAINT "card_providers_one" UNIQUE("provider","is_live","account")
);
--> statement-breakpoint
INSERT INTO "card_providers" VALUES (1, 'unknown', false, '', true, 0);--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD COLUMN "provider_id" integer DEFAULT 1;--> statement-breakpoint
ALTER TABLE "ledger_entries" ALTER COLUMN "provider_id" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "card_accounts" ADD COLUMN "provider_id" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "card_accounts" ALTER COLUMN "provider_id" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "card_accounts" ADD COLUMN "lost_customer_id" text;--> statement-breakpoint
ALTER TABLE "card_accounts" DROP CONSTRAINT "card_accounts_pkey";--> statement-breakpoint
ALTER TABLE "card_accounts" ADD CONSTRAINT "card_accounts_user_id_provider_id_pk" PRIMARY KEY("user_id","provider_id");--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_provider_id_card_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."card_providers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "card_accounts" ADD CONSTRAINT "card_accounts_provider_id_card_providers_id_fk" FOREIGN KEY ("provider_id") REFERENCES "public"."card_providers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_provider" CHECK ("ledger_entries"."source" <> 'card' or "ledger_entries"."provider_id" is not null);
