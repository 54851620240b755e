from fueldepot.management.import_command import ImportCommand


class Command(ImportCommand):
    source = "geonames-postcodes"
    help = (
        "Import postcodes (address points of the PRG, XML, GML or zips of them, all parts at once; its postcodes, CSV; "
        "GeoNames PL.txt or PL.zip). A dry run unless --commit is given."
    )
