import { type RefObject, useCallback, useState } from 'react'
import { type Begun, Completion } from '../../ui/Completion.tsx'
import { useEnv } from '../../ui/env.tsx'
import type { UsedEmojis } from '../../worker/crypto.ts'
import { codeBefore } from './completion.ts'
import type { Emoji } from './emojis.ts'

interface Props {
  field: RefObject<HTMLTextAreaElement | null>
  onWrite: (emoji: string, begun: Begun) => void
}

const SHOWN = 3
const NONE: UsedEmojis = { used: [], tone: 0 }

/** Offers the emojis whose code begins as what is typed behind a colon. */
export function EmojiCompletion({ field, onWrite }: Props) {
  const env = useEnv()
  const [kept, setKept] = useState(NONE)
  const find = useCallback(
    async (query: string) => {
      const used = env.crypto.readEmojis().catch(() => NONE)
      const [{ findEmojis }, now] = await Promise.all([import('./emojis.ts'), used])
      setKept(now)
      return findEmojis(query, SHOWN)
    },
    [env],
  )

  function take(emoji: Emoji, begun: Begun) {
    const text = emoji.tones[kept.tone - 1] ?? emoji.text
    onWrite(text, begun)
    const used = [text, ...kept.used.filter((one) => one !== text)]
    // A full disk forgets what was used.
    env.crypto.keepEmojis({ ...kept, used }).catch(() => undefined)
  }

  return (
    <Completion
      label="Emoji"
      field={field}
      begunAt={codeBefore}
      find={find}
      keyOf={(emoji) => emoji.text}
      draw={(emoji) => (
        <>
          <span className="emoji-sign" aria-hidden>
            {emoji.text}
          </span>
          <span className="cut">{emoji.code}</span>
        </>
      )}
      onTake={take}
    />
  )
}
