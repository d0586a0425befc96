import { defineConfig } from 'drizzle-kit'

/** `npx drizzle-kit generate --name <what>` writes the next migration from the schema. */
export default defineConfig({
  dialect: 'postgresql',
  schema: './server/ground/db/schema/*.ts',
  out: './server/ground/db/migrations',
})
