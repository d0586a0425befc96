import type { Plugin } from 'vite'

const SCHEMAS = /\/zod\/v4\/classic\/schemas\.js$/

/** What zod's schemas keep of JSON Schema: a line in each kind of schema, and the two methods that write it. */
const WRITERS: [RegExp, string][] = [
  [/^ *inst\._zod\.processJSONSchema = .*$/gm, ''],
  [/createStandardJSONSchemaMethod\(this, "(?:in|out)put"\)/g, 'undefined'],
  [/createToJSONSchemaMethod\(this, \{\}\)\(params\)/g, 'undefined'],
]

/**
 * Leaves out the part of zod that writes JSON Schema, a fifth of its bytes, which no browser needs. Throws if zod has changed and a
 * pattern finds nothing.
 */
export function withoutJsonSchema(): Plugin {
  return {
    name: 'without-json-schema',
    apply: 'build',
    transform: {
      filter: { id: SCHEMAS },
      handler(code) {
        return WRITERS.reduce((rest, [pattern, instead]) => {
          const left = rest.replaceAll(pattern, instead)
          if (left === rest) throw new Error(`zod's schemas have no ${pattern} any more: see scripts/schemas.ts`)
          return left
        }, code)
      },
    },
  }
}
