-- Rows of before stay as they are: a renewal that has failed already is mailed about once, where its account has an address and the server
-- a mail server. A server of before writes nothing into what is new.
CREATE TABLE "purchase_consents" (
	"purchase" text NOT NULL,
	"consented_at" timestamp (3) with time zone NOT NULL,
	"user_id" uuid NOT NULL,
	"terms_version" text NOT NULL,
	"terms_url" text NOT NULL,
	"has_withdrawal" boolean NOT NULL,
	"tier" text NOT NULL,
	"package_id" uuid,
	"billing_period" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	CONSTRAINT "purchase_consents_purchase_consented_at_pk" PRIMARY KEY("purchase","consented_at")
);
--> statement-breakpoint
ALTER TABLE "card_accounts" ADD COLUMN "mail_about" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "card_accounts" ADD COLUMN "mail_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "card_accounts" ADD COLUMN "mail_next_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "purchase_consents" ADD CONSTRAINT "purchase_consents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "purchase_consents_user" ON "purchase_consents" USING btree ("user_id","consented_at");--> statement-breakpoint
CREATE INDEX "card_accounts_failed" ON "card_accounts" USING btree ("failed_since") WHERE "card_accounts"."failed_since" is not null;