/** The logo: a C that is also the bow of a key. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 26 24" aria-hidden="true">
      <path d="M13.6 6.4A7 7 0 1 0 13.6 17.6" />
      <path d="M9 12h14.5M18.6 12v3.6M23.5 12v2.6" />
    </svg>
  )
}

export function Brand() {
  return (
    <span className="brand">
      <Mark />
      Conclave
    </span>
  )
}
