module cluster

go 1.25.0

require (
	example.com/pulumi-bedplate/sdk/go/bedplate v0.0.0
	github.com/pulumi/pulumi/sdk/v3 v3.259.0
)

replace example.com/pulumi-bedplate/sdk/go/bedplate => ./sdks/bedplate
