import { type KeyboardEvent, useRef } from 'react'
import type { CallAct } from './useCallActs.tsx'

interface Props {
  acts: CallAct[]
  /** What is open above them. */
  open: 'words' | 'devices' | undefined
}

/** The round buttons with their words, End last and apart. Arrows go from one to the next. */
export function CallControls({ acts, open }: Props) {
  const bar = useRef<HTMLDivElement>(null)

  function press(event: KeyboardEvent) {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const buttons = [...(bar.current?.querySelectorAll<HTMLButtonElement>('button:not(:disabled)') ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    event.preventDefault()
    buttons[(at + step + buttons.length) % buttons.length]?.focus()
  }

  return (
    <div className="call-controls" role="toolbar" aria-label="Call" ref={bar} onKeyDown={press}>
      {acts.map(({ name, key, icon: Icon, words, isOff, isDisabled, run }) => (
        <div key={name} className={`is-${name}`}>
          <button
            type="button"
            className={`ctrl ${name === 'end' ? 'end' : isOff ? 'isoff' : ''}`}
            aria-label={words}
            aria-keyshortcuts={key?.toUpperCase()}
            aria-haspopup={name === 'devices' ? 'dialog' : undefined}
            aria-expanded={name === 'devices' ? open === 'devices' : undefined}
            disabled={isDisabled}
            data-opens={name === 'devices' ? name : undefined}
            onClick={run}
          >
            <Icon className="i i-20" aria-hidden />
          </button>
          <span aria-hidden="true">{words}</span>
        </div>
      ))}
    </div>
  )
}
