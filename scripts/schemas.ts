import type { Plugin } from 'vite'

const SCHEMAS = /\/zod\/v4\/classic\/schemas\.js$/

/**
 * What zod's schemas keep of JSON Schema, a line in each kind of schema and the two methods that write it; what says which checks a schema
 * has; what lets values hold themselves, which no JSON does; the writer of code, which client/zod.ts switches off; and the second,
 * deprecated form of each text format (`z.string().email()` beside `z.email()`), which brings all formats along.
 */
const UNUSED: [RegExp, string][] = [
  [/^ *inst\._zod\.processJSONSchema = .*$/gm, ''],
  [/createStandardJSONSchemaMethod\(this, "(?:in|out)put"\)/g, 'undefined'],
  [/createToJSONSchemaMethod\(this, \{\}\)\(params\)/g, 'undefined'],
  [/processors\.aggregateChecks\(inst\)/g, '({})'],
  [/core\.config\(\{ memoizer: core\.memoizer\(\) \}\)/g, 'undefined'],
  [/\$ZodObjectJIT\.init/g, '$$ZodObject.init'],
  [/^ *\w+\(params\) \{\s*return this\.check\(core\._\w+\(Zod\w+, params\)\);\s*\},$/gm, ''],
]

/** Methods of schemas that no schema of ours calls. Some bring a kind of schema along that is not used either. */
const METHODS =
  'superRefine overwrite nonoptional and prefault readonly describe isOptional isNullable parseAsync safeParseAsync validate validateAsync encode decode encodeAsync decodeAsync safeEncode safeDecode safeEncodeAsync safeDecodeAsync keyof catchall passthrough strict strip safeExtend merge omit exactPartial'

const withoutMethods = METHODS.split(' ').map((name): [RegExp, string] => [
  new RegExp(`^ {4}(?:async )?${name}(?:: (?:async )?function \\w+)?\\([^)]*\\) \\{\\n[\\s\\S]*?^ {4}\\},?\\n`, 'gm'),
  '',
])

/** The sentences about what is wrong with a value. */
const WORDS: [RegExp, string] = [/core\.config\(en\(\)\)/g, 'undefined']

/**
 * Leaves out the parts of zod that no browser needs, a third of its bytes, and the words too unless it `hasWords`. A schema of ours that
 * called them would fail when the page loads. Throws if zod has changed and a pattern finds nothing.
 */
export function smallerZod({ hasWords }: { hasWords: boolean }): Plugin {
  return {
    name: 'smaller-zod',
    apply: 'build',
    transform: {
      filter: { id: SCHEMAS },
      handler(code) {
        return [...UNUSED, ...withoutMethods, ...(hasWords ? [] : [WORDS])].reduce((rest, [pattern, instead]) => {
          const left = rest.replaceAll(pattern, instead)
          if (left === rest) throw new Error(`zod's schemas have no ${pattern} any more: see scripts/schemas.ts`)
          return left
        }, code)
      },
    },
  }
}
