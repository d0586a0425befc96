-- Requests of before end a card of the very plan that they pay alone: nobody was told of more. What was credited before ends none.
ALTER TABLE "crypto_payments" ADD COLUMN "ends_card" text;--> statement-breakpoint
CREATE INDEX "crypto_payments_ends_card" ON "crypto_payments" USING btree ("user_id") WHERE "crypto_payments"."ends_card" in ('due', 'same');