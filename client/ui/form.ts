import type { z } from 'zod'

export type FieldErrors<Name extends string> = Partial<Record<Name, string>>

/** The first error message of each named field. */
export function fieldErrors<Name extends string>(error: z.ZodError, names: readonly Name[]): FieldErrors<Name> {
  const errors: FieldErrors<Name> = {}
  for (const issue of error.issues) {
    const name = names.find((candidate) => candidate === issue.path[0])
    if (name && !errors[name]) errors[name] = issue.message
  }
  return errors
}
