import { type RefObject, use, useCallback } from 'react'
import { Avatar } from '../../ui/Avatar.tsx'
import { Completion, writeInto } from '../../ui/Completion.tsx'
import { MentionedContext } from './mentionedContext.tsx'
import { findMentioned, mentionBefore } from './mentions.ts'

interface Props {
  field: RefObject<HTMLTextAreaElement | null>
  onText: (text: string) => void
}

/** Writes the username: own names are told to nobody. */
export function MentionCompletion({ field, onText }: Props) {
  const people = use(MentionedContext)
  const find = useCallback(async (query: string) => findMentioned(people, query), [people])
  return (
    <Completion
      label="People to mention"
      field={field}
      begunAt={mentionBefore}
      find={find}
      keyOf={({ id }) => id}
      draw={({ id, name, photo, username }) => (
        <>
          <Avatar id={id} name={name} photo={photo} size={28} />
          <span className="cut">
            <bdi>{name}</bdi> <span className="t2">@{username}</span>
          </span>
        </>
      )}
      onTake={({ username }, begun) => {
        if (field.current) onText(writeInto(field.current, `@${username} `, begun))
      }}
    />
  )
}
