/** The end of the kit: a seal with the mark, the day and the name. */
export function KitSeal({ username, madeOn, onDone }: { username: string; madeOn: string; onDone: () => void }) {
  return (
    <>
      <div className="kit-sealed">
        <svg className="kit-seal" viewBox="0 0 148 148" role="img" aria-label={`Sealed on ${madeOn} for @${username}`}>
          <circle cx="74" cy="74" r="70" />
          <circle cx="74" cy="74" r="50" />
          <g transform="translate(39 44) scale(2.7)" strokeWidth="0.95">
            <path d="M13.6 6.4A7 7 0 1 0 13.6 17.6" />
            <path d="M9 12h14.5M18.6 12v3.6M23.5 12v2.6" />
          </g>
          <path id="kit-seal-arc" d="M74 14a60 60 0 1 1-.1 0" stroke="none" />
          <text>
            <textPath href="#kit-seal-arc" textLength="366" startOffset="4">
              Recovery kit · {madeOn} · @{username} ·{' '}
            </textPath>
          </text>
        </svg>
        <p className="t2">Put the page where nobody else looks. It works once: using it makes a new one.</p>
      </div>
      <div className="kit-bar">
        <button type="button" className="btn primary" onClick={onDone}>
          Open Conclave
        </button>
      </div>
    </>
  )
}
