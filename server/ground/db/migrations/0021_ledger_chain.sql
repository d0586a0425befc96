-- What was written before is chained in its order, as the trigger would have: a change of it from before now is not found. A build of before that
-- runs on this database chains its entries too, by the trigger.
CREATE TABLE "ledger_chain" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"place" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "ledger_chain_place_unique" UNIQUE("place")
);--> statement-breakpoint
DO $$
DECLARE
	zone text := current_setting('timezone');
	last ledger_chain;
	entry ledger_entries;
BEGIN
	PERFORM set_config('timezone', 'UTC', true);
	FOR entry IN SELECT * FROM ledger_entries ORDER BY place LOOP
		last.seq := coalesce(last.seq, 0) + 1;
		last.place := entry.place;
		last.hash := sha256(convert_to('conclave/ledger/v1 ' || coalesce(encode(last.hash, 'hex'), '') || ' ' || jsonb_strip_nulls(to_jsonb(entry))::text, 'UTF8'));
		INSERT INTO ledger_chain SELECT last.*;
	END LOOP;
	PERFORM set_config('timezone', zone, true);
END $$;
