-- What [Note: M5] hashes of a message: SHA-256 over the label and the content, each behind its length.
-- PostgreSQL writes it into the statement that calls it; a function that promised more than convert_to does would be called row by row.
CREATE OR REPLACE FUNCTION "log_entry_hash"("content" text) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT sha256('\x00000015636f6e636c6176652f6c6f672d656e7472792f7631'::bytea || int4send(octet_length(content)) || convert_to(content, 'UTF8'))
$$;
