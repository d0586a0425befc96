import type { ReactNode } from 'react'
import { tintOf } from './tint.ts'

function monogram(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^[\p{L}\p{N}]/u.test(word))
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => (word ? [...word][0] : ''))
  return letters.join('').toUpperCase() || '?'
}

interface Props {
  id: string
  name: string
  isOutlined?: boolean
  /** In px; 44 where nothing is said. */
  size?: 36 | 40 | 44 | 60
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
