/** The ids come from the account's signed list; the browsers' names are sealed to the other person. */
export function Devices({ name, ids }: { name: string; ids: string[] }) {
  if (ids.length === 0) return null
  return (
    <div className="their-devices">
      <h3>
        <span>
          Devices of <bdi>{name}</bdi>
        </span>
        <span>{ids.length}</span>
      </h3>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            Browser <span className="mono t2">{`${id.slice(0, 4)} ${id.slice(4, 8)}`}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
