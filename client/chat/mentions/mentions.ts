import { LIMITS } from '../../../contract/ground/limits.ts'
import { type Begun, begunBefore } from '../../ui/Completion.tsx'
import type { Mentioned, MentionedPeople } from './mentionedPeople.ts'

const BEGUN = new RegExp(`(?:^|[\\s([{"“«])(@([\\p{L}\\p{N}_.'’-]{0,${LIMITS.usernameMax}}))$`, 'u')

export const mentionBefore = (text: string, caret: number): Begun | undefined =>
  begunBefore(text, caret, BEGUN, LIMITS.usernameMax + 2)

/** By the beginning of a word. A whole username is not completed: Enter sends it. */
export function findMentioned(people: MentionedPeople, query: string): Mentioned[] {
  const begun = query.toLowerCase()
  return [...people.values()].filter(
    ({ username, name, isOwn }) =>
      !isOwn && username !== begun && [username, ...name.toLowerCase().split(/\s+/)].some((word) => word.startsWith(begun)),
  )
}
