CREATE TABLE "crypto_arrivals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"chain" text NOT NULL,
	"reference" text NOT NULL,
	"index" integer NOT NULL,
	"asset" text NOT NULL,
	"units" text NOT NULL,
	"height" integer,
	"block_hash" text,
	"first_seen_at" timestamp (3) with time zone NOT NULL,
	"is_in_time" boolean NOT NULL,
	"is_gone" boolean DEFAULT false NOT NULL,
	"is_credited" boolean DEFAULT false NOT NULL,
	CONSTRAINT "crypto_arrivals_once" UNIQUE("chain","reference","index")
);
--> statement-breakpoint
CREATE TABLE "crypto_indexes" (
	"chain" text PRIMARY KEY NOT NULL,
	"next_index" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "crypto_payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"package_id" uuid NOT NULL,
	"tier" text NOT NULL,
	"billing_period" text NOT NULL,
	"currency" text NOT NULL,
	"amount" text NOT NULL,
	"usd_cents" bigint NOT NULL,
	"rate" text NOT NULL,
	"wallet_address" text,
	"payment_address" text NOT NULL,
	"received" text DEFAULT '0' NOT NULL,
	"transaction_hash" text,
	"block_confirmations" integer DEFAULT 0 NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"decided" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"scanned_height" integer NOT NULL,
	"native_units" text DEFAULT '0' NOT NULL,
	"looks" integer DEFAULT 0 NOT NULL,
	"looked_at" timestamp (3) with time zone,
	"next_look_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "crypto_reviews" (
	"id" uuid PRIMARY KEY NOT NULL,
	"payment_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"about" text NOT NULL,
	"asset" text NOT NULL,
	"units" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"outcome" text,
	"resolved_at" timestamp (3) with time zone,
	"resolved_by" text,
	CONSTRAINT "crypto_reviews_once" UNIQUE("payment_id","reason","about")
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "preferred_crypto_currency" text DEFAULT 'bitcoin' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "crypto_wallet_address" text;--> statement-breakpoint
ALTER TABLE "crypto_arrivals" ADD CONSTRAINT "crypto_arrivals_payment_id_crypto_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."crypto_payments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crypto_payments" ADD CONSTRAINT "crypto_payments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "crypto_reviews" ADD CONSTRAINT "crypto_reviews_payment_id_crypto_payments_id_fk" FOREIGN KEY ("payment_id") REFERENCES "public"."crypto_payments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "crypto_arrivals_payment" ON "crypto_arrivals" USING btree ("payment_id");--> statement-breakpoint
CREATE UNIQUE INDEX "crypto_payments_address" ON "crypto_payments" USING btree (lower("payment_address"));--> statement-breakpoint
CREATE INDEX "crypto_payments_user" ON "crypto_payments" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "crypto_payments_next_look" ON "crypto_payments" USING btree ("next_look_at");--> statement-breakpoint
CREATE INDEX "crypto_reviews_open" ON "crypto_reviews" USING btree ("created_at") WHERE "crypto_reviews"."outcome" is null;