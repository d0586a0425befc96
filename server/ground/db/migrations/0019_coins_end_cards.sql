-- What was credited before ends no card: nobody was told that it would.
ALTER TABLE "crypto_payments" ADD COLUMN "ends_card" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "crypto_payments_ends_card" ON "crypto_payments" USING btree ("user_id") WHERE "crypto_payments"."ends_card";