-- No payment waits for anybody yet: null for every row.
ALTER TABLE "card_accounts" ADD COLUMN "waiting" jsonb;