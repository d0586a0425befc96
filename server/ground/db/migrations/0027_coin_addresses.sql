-- An index alone: no row changes, and a server of before goes on.
CREATE INDEX "crypto_payments_created" ON "crypto_payments" USING btree ("created_at","id");