import { bigint, customType, timestamp } from 'drizzle-orm/pg-core'

// Names and fields of the product's tables follow its specification; times come from env.clock, never from now().

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

export const at = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

/** The seq of an entry in a room's log. */
export const seq = (name: string) => bigint(name, { mode: 'number' })
