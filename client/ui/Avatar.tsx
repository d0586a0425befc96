import type { ReactNode } from 'react'

const TINTS = ['a', 'b', 'c', 'd'] as const

/** Returns the same tint for the same person. The tint has no other meaning. */
function tintOf(id: string): string {
  let hash = 0
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0
  return TINTS[hash % TINTS.length] ?? 'a'
}

function monogram(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => (word ? [...word][0] : ''))
  return letters.join('').toUpperCase() || '?'
}

interface Props {
  id: string
  name: string
  isOutlined?: boolean
  size?: 40 | 44
  children?: ReactNode
}

export function Avatar({ id, name, isOutlined = false, size = 44, children }: Props) {
  return (
    <span className={`av ${isOutlined ? 'none' : tintOf(id)} d${size}`} aria-hidden="true">
      {monogram(name)}
      {children}
    </span>
  )
}

/** A filled dot is online, a hollow one is not. `presenceWords` has the text for screen readers. */
export function PresenceDot({ isOnline }: { isOnline: boolean }) {
  return <i className={isOnline ? 'dot' : 'dot away'} />
}
