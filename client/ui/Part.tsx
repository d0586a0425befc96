import type { ReactNode } from 'react'
import './part.css'

interface Props {
  id?: string
  title: string
  text?: string
  children: ReactNode
}

/** A part of a settings page: what it is about at the left, its controls at the right. */
export function Part({ id, title, text, children }: Props) {
  return (
    <section className="part" id={id}>
      <header>
        <h2>{title}</h2>
        {text && <p>{text}</p>}
      </header>
      <div>{children}</div>
    </section>
  )
}
