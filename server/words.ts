import type { z } from 'zod'
import { REFUSALS } from '../contract/ground/refusals.ts'

type Issue = Parameters<z.core.$ZodErrorMap>[0]

const KINDS: Record<string, string> = {
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}
const SHORT_FORMS: Record<string, string> = { id: 'ID', kdf: 'KDF', api: 'API', gb: 'GB', url: 'URL' }
const ABSENT: readonly string[] = ['invalid_type', 'invalid_value', 'invalid_union']
const CHOICE = new Intl.ListFormat('en', { type: 'disjunction' })
const LABEL_MAX_CHARS = 80

/**
 * Returns an English sentence about an invalid field for which the contract has no text. The schema library's texts are not sent.
 */
export function wordsOf(issue: Issue): string {
  const label = labelOf(issue.path ?? [])
  if (label === '') return REFUSALS.invalid_input.text
  const isAbsent = issue.input === undefined || issue.input === null
  if (isAbsent && ABSENT.includes(issue.code)) return `${label} is required`
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected in KINDS ? `${label} must be ${KINDS[issue.expected]}` : `${label} is required`
    case 'invalid_value':
      return `${label} must be ${CHOICE.format(issue.values.map(String))}`
    case 'too_small':
      if (issue.origin === 'string' && Number(issue.minimum) <= 1) return `${label} is required`
      return `${label} must ${bound(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)}`
    case 'too_big':
      return `${label} must ${bound(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)}`
    default:
      return `${label} is not valid`
  }
}

function bound(origin: string, words: string, limit: number | bigint): string {
  if (origin === 'string') return `be ${words} ${limit} characters`
  if (origin === 'number' || origin === 'int') return `be ${words} ${limit}`
  return `have ${words} ${limit} entries`
}

/** The label of a field, such as "Chat room ID". Nested fields are for programs and named by their path. */
function labelOf(path: readonly PropertyKey[]): string {
  const [first] = path
  if (path.length !== 1) return path.map(String).join('.').slice(0, LABEL_MAX_CHARS)
  const words = String(first)
    .slice(0, LABEL_MAX_CHARS)
    .split(/(?<=[a-z0-9])(?=[A-Z])/)
    .map((word) => SHORT_FORMS[word.toLowerCase()] ?? word.toLowerCase())
    .join(' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
