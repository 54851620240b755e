"""Invented address points in the official layouts, with what is read of them, of any size.

`python -m tests.catalog.importers.parsers.generate_addresses` writes them.
Everything but the codes of municipalities is made up. The villages stand on a grid inside lubuskie.
"""

import argparse
from pathlib import Path

STREETS = 40
"""Streets of each locality."""

HEADS = {
    2012: """<?xml version="1.0" encoding="utf-8"?>
<gml:FeatureCollection xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:gml="http://www.opengis.net/gml/3.2"
    xmlns:bt="urn:gugik:specyfikacje:gmlas:modelPodstawowy:1.0"
    xmlns:prg-ad="urn:gugik:specyfikacje:gmlas:panstwowyRejestrGranicAdresy:1.0" gml:id="prg-ad">
<gml:featureMembers>
""",
    2021: """<?xml version="1.0" encoding="UTF-8"?>
<gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml/3.2" xmlns:xlink="http://www.w3.org/1999/xlink"
    xmlns:prgad="https://geoportal.gov.pl/schemas/prgad/1.0">
""",
}
TAILS = {2012: "</gml:featureMembers>\n</gml:FeatureCollection>\n", 2021: "</gml:FeatureCollection>\n"}

POINT_2012 = """<prg-ad:PRG_PunktAdresowy gml:id="PL.ZIPIN.4404.EMUiA_{id}">
  <prg-ad:idIIP><bt:BT_Identyfikator>
    <bt:lokalnyId>{id}</bt:lokalnyId><bt:przestrzenNazw>PL.PZGIK.200</bt:przestrzenNazw>
    <bt:wersjaId>{version}T18:18:16+02:00</bt:wersjaId>
  </bt:BT_Identyfikator></prg-ad:idIIP>
  <prg-ad:cyklZycia><bt:BT_CyklZyciaInfo>{ended}</bt:BT_CyklZyciaInfo></prg-ad:cyklZycia>
  <prg-ad:miejscowosc>{place}</prg-ad:miejscowosc>
  <prg-ad:ulica>Podgórna</prg-ad:ulica>
  <prg-ad:kodPocztowy>{postcode}</prg-ad:kodPocztowy>
  <prg-ad:status>{status}</prg-ad:status>
  <prg-ad:pozycja>
    <gml:Point srsName="{system}" srsDimension="2" gml:id="G_{id}"><gml:pos>{first} {second}</gml:pos></gml:Point>
  </prg-ad:pozycja>
  <prg-ad:komponent xlink:href="http://geoportal.gov.pl/PZGIK/dane/PL.PZGIK.200_366263" />
  <prg-ad:komponent xlink:href="http://geoportal.gov.pl/PZGIK/dane/PL.PZGIK.200_366267" />
  <prg-ad:komponent xlink:href="http://geoportal.gov.pl/PZGIK/dane/PL.PZGIK.200_{unit}" />
  <prg-ad:komponent xlink:href="http://geoportal.gov.pl/PZGIK/dane/PL.ZIPIN.4404.EMUiA_{locality}" />
  <prg-ad:komponent xlink:href="http://geoportal.gov.pl/PZGIK/dane/PL.ZIPIN.4404.EMUiA_street-{street}" />
</prg-ad:PRG_PunktAdresowy>
"""

AREA_2012 = """<prg-ad:PRG_JednostkaAdministracyjnaNazwa gml:id="PL.PZGIK.200_{unit}">
  <prg-ad:nazwa>Gmina</prg-ad:nazwa><prg-ad:idTERYT>{unit}</prg-ad:idTERYT><prg-ad:poziom>4poziom</prg-ad:poziom>
</prg-ad:PRG_JednostkaAdministracyjnaNazwa>
"""

POINT_2021 = """<gml:featureMember>
  <prgad:AD_PunktAdresowy gml:id="PL.ZIPIN.2418.EMUiA_{id}_2025-10-14T14_05_46_02_00">
    <prgad:idIIP><prgad:AD_IdentyfikatorIIP>
      <prgad:lokalnyId>{id}</prgad:lokalnyId><prgad:przestrzenNazw>PL.PZGIK.200</prgad:przestrzenNazw>
      <prgad:wersjaId>{version}T14:05:46+02:00</prgad:wersjaId>
    </prgad:AD_IdentyfikatorIIP></prgad:idIIP>
    <prgad:poczatekWersjiObiektu>2025-10-14T14:05:46</prgad:poczatekWersjiObiektu>{ended}
    <prgad:numerPorzadkowy>21A</prgad:numerPorzadkowy>
    <prgad:georeferencja>
      <gml:Point srsName="{system}" srsDimension="2"><gml:pos>{second} {first}</gml:pos></gml:Point>
    </prgad:georeferencja>
    <prgad:kodPocztowy>{postcode}</prgad:kodPocztowy>
    <prgad:dataNadania>2012-04-27</prgad:dataNadania>
    <prgad:miejscowosc xlink:href="#PL.ZIPIN.2418.EMUiA_{locality}_2025-10-14T14_04_04_02_00" />
    <prgad:ulica2 xlink:href="#PL.ZIPIN.2418.EMUiA_street-{street}_2025-10-31T18_54_50_02_00" />
  </prgad:AD_PunktAdresowy>
</gml:featureMember>
"""

AREA_2021 = """<gml:featureMember>
  <prgad:AD_Miejscowosc gml:id="PL.ZIPIN.2418.EMUiA_{locality}_2025-10-14T14_04_04_02_00">
    <prgad:nazwa>{place}</prgad:nazwa><prgad:TERYTGminy>{unit}</prgad:TERYTGminy>
  </prgad:AD_Miejscowosc>
</gml:featureMember>
"""

SYSTEMS = {2012: "urn:ogc:def:crs:EPSG::2180", 2021: "EPSG:2180"}


def point(model: int, id: str, *, north: float, east: float, **values: object) -> str:
    """One address point. values: anything of the template that shall not be as usual."""
    usual = {"version": "2025-11-06", "ended": "", "status": "istniejacy", "system": SYSTEMS[model], "street": "1"}
    usual |= {"place": "Konotop", "postcode": "67-416", "unit": "0804032", "locality": "0910140"}
    template = POINT_2012 if model == 2012 else POINT_2021
    return template.format(id=id, first=north, second=east, **(usual | values))


def area(model: int, *, unit: str = "0804032", locality: str = "0910140", place: str = "Konotop") -> str:
    """What addresses refer to: the municipality, or the locality with its municipality."""
    if model == 2012:
        return AREA_2012.format(unit=unit)
    return AREA_2021.format(unit=unit, locality=locality, place=place)


def document(model: int, *parts: str) -> str:
    return "".join([HEADS[model], *parts, TAILS[model]])


def generate(path: Path, model: int, size: int) -> None:
    """Write a document of about so many bytes: up to 4,000 localities of 300 addresses, then more in each."""
    areas: dict[str, dict[str, str]] = {}
    with path.open("w", encoding="utf-8") as out:
        written, number = out.write(HEADS[model]), 0
        while written < size:
            village, lap = number % 4000, number // 4000
            values = {"place": f"Wieś {village}", "postcode": f"{66 + village // 2000}-{village % 1000:03}"}
            values |= {"unit": f"08{village % 12 + 1:02}{village % 7 + 1:02}2", "locality": f"{village:07}"}
            areas[values["unit" if model == 2012 else "locality"]] = values
            north = 420_000 + village // 50 * 2_000 + lap % 20 * 20 + 0.25
            east = 205_000 + village % 50 * 2_000 + lap // 20 % 20 * 20 + 0.5
            values = values | {"street": f"{village}-{lap % STREETS}"}
            id = f"{number:08x}-0000-4000-8000-{number:012x}"
            written += out.write(point(model, id, north=north, east=east, **values))
            number += 1
        for row in areas.values():
            out.write(area(model, unit=row["unit"], locality=row["locality"], place=row["place"]))
        out.write(TAILS[model])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write invented address points of the PRG.")
    parser.add_argument("path", type=Path)
    parser.add_argument("--model", type=int, choices=(2012, 2021), default=2012)
    parser.add_argument("--bytes", type=float, default=2e9)
    given = parser.parse_args()
    generate(given.path, given.model, int(given.bytes))
